"""The studio's server: one model, questions to it, and the page that asks them."""
