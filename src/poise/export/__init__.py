"""Export of recordings and motions: BVH, glTF, USD, CSV, pages, pictures and videos. `export` writes any of them."""

from poise.export.formats import export

__all__ = ["export"]
