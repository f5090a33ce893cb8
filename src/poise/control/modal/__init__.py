"""Modal-space control [Jain2011]: long plans for few and decoupled modes, at every step anew."""

from poise.control.modal.load import Load
from poise.control.modal.modal import Modal
from poise.control.modal.settings import ModalSettings

__all__ = ["Load", "Modal", "ModalSettings"]
