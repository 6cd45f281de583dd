"""What commands print and draw: tables, pictures, progress."""
