"""The bills of a shared well."""
