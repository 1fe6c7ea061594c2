"""`manage.py new_agent`: an agent of one's own, as a folder of files with a sample and a golden test that is green."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from tasks.management import agent_folders, base, scaffold
from tasks.management.base import wrong_call
from tasks.management.preparation import manage


class Command(base.Command):
    help = """Begin an agent: a folder ./own_agents/NAME with its fields, a sample, what is expected of it, and a test.

It asks a model, whose answer for the sample is scripted, so that everything works offline; with --own-program it is a Python program.

  manage.py new_agent delivery-notes
  manage.py run_agent delivery-notes own_agents/delivery_notes/samples/sample.pdf
  python -m pytest own_agents/delivery_notes
  manage.py install_agent delivery-notes"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "name", metavar="NAME", help="lower case letters, digits and -, such as delivery-notes"
        )
        parser.add_argument(
            "--own-program", action="store_true", help="a Python program reads, and no model is asked"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        name, folder = options["name"], agent_folders.folder_of(options["name"])
        if not scaffold.is_name(name):
            raise wrong_call(
                f"{name!r} is no name for an agent: it begins with a letter a-z and holds a-z, 0-9 and -, up to 40 of them."
            )
        try:
            files = scaffold.write(folder, name, own_program=options["own_program"])
        except FileExistsError:
            raise wrong_call(
                f"There is a folder {folder} already. Choose another name, or remove it first."
            ) from None
        except OSError as error:
            raise wrong_call(f"{folder} cannot be written: {error.strerror}.") from error
        for file in files:
            self.say(str(file))
        self.say(f"\nTry it: {manage()} run_agent {name} {folder}/samples/sample.pdf")
