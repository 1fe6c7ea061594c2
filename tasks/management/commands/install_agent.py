"""`manage.py install_agent`: an agent of one's own is put to work, as a new agent or as the next version of one."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.db import transaction

from tasks import versions
from tasks.management import agent_folders, base, preparation
from tasks.management.acting import operator
from tasks.management.base import wrong_call
from tasks.models import Agent


class Command(base.Command):
    help = """Put an agent of ./own_agents to work: documents can then be handed in to it, and its limits are set in the admin.

Once it is there, each change of its files makes its next version. What the admin says of model and endpoint stays where the files say nothing.

  manage.py install_agent delivery-notes"""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", metavar="NAME", help="the agent's name, as new_agent was given it")

    def handle(self, *args: Any, **options: Any) -> None:
        folder = agent_folders.found(options["name"])
        if folder is None:
            raise wrong_call(
                f"There is no {agent_folders.folder_of(options['name'])}/agent.json; new_agent makes one."
            )
        preparation.migrate(self.tell)
        changes: dict[str, Any] = {"program": folder.program, "schema": folder.options["schema"]}
        changes |= {name: folder.options[name] for name in versions.OF_MODELS if name in folder.options}
        if folder.model:
            changes["model"] = folder.model
        own = {
            name: value
            for name, value in folder.options.items()
            if name not in ("schema", *versions.OF_MODELS)
        }
        changes["options"] = own
        with transaction.atomic():
            Agent.objects.get_or_create(name=folder.name, defaults={"title": folder.title})
            agent = Agent.objects.select_for_update(no_key=True).get(name=folder.name)
            current = agent.current_version
            values = versions.changed(current, changes)
            if current and all(getattr(current, name) == values[name] for name in versions.VERSIONED):
                self.say(f"{folder.name} is at version {current.number}, and its files are the same.")
                return
            version = versions.make(operator(), agent, values)
        lack = versions.lacking(agent, version)
        self.say(
            f"{folder.name} is at version {version.number}. {'Nothing can be handed in to it yet.' if lack else 'What is handed in to it from now on is read by this version.'}"
        )
        if lack:
            self.tell(lack)
