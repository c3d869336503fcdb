"""Labels for home-made food."""
