"""Plans of bodies: tables of segments, joints and shapes, with one module per bundled body."""
