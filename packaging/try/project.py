"""Prints a Maven project with other dependencies on miniserver: project.py DEPENDENCIES VERSION POM.xml"""

import pathlib
import re
import sys

dependencies, version, pom = sys.argv[1:]
ours = re.compile(r"\s*<dependency>\s*<groupId>io\.github\.miniserver</groupId>.*?</dependency>", re.DOTALL)
text = ours.sub("", pathlib.Path(pom).read_text())
new = pathlib.Path(dependencies).read_text().replace("<version>0.1.0</version>", f"<version>{version}</version>")
print(text.replace("<dependencies>", "<dependencies>\n" + new, 1))
