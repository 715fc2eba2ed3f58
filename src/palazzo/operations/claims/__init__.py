"""Claims, from proposed to decided."""
