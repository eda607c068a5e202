"""Reports: results in, text out, one format a file."""
