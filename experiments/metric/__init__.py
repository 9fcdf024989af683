"""Which representation, which cost, near the data or not: small studies on four tasks."""
