"""Wheels and source archives made by hand, as PEP 427 and PEP 517 lay them out."""

import base64
import hashlib
import tarfile
import zipfile
from io import BytesIO


def wheel(folder, name, version, files, needs=()):
    """Write a pure-Python wheel whose RECORD is in order."""
    info = f"{name}-{version}.dist-info"
    metadata = "".join(f"Requires-Dist: {need}\n" for need in needs)
    whole = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    lines = [f"{info}/RECORD,,"]
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as made:
        for path, text in whole.items():
            digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
            lines.append(f"{path},sha256={digest},{len(text.encode())}")
            made.writestr(path, text)
        made.writestr(f"{info}/RECORD", "\n".join(lines) + "\n")


def source_archive(folder, name, version, setup):
    """Write an archive that could only be used by running its setup.py."""
    files = {"setup.py": setup, "PKG-INFO": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"}
    with tarfile.open(folder / f"{name}-{version}.tar.gz", "w:gz") as made:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}-{version}/{path}")
            entry.size = len(text)
            made.addfile(entry, BytesIO(text.encode()))
