"""3D navigation: three rooms, planned from pictures, re-planned for changed objectives."""
