"""Plans of bodies: tables of segments, joints and shapes."""
