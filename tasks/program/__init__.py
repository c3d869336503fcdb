"""Program: language-model programs, their signatures and their read-only tools."""
