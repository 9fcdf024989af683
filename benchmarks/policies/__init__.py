"""How good policies are, and how honest what is said about them."""
