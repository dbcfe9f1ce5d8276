import unittest

from miniserver_testkit import Server


class SessionTest(unittest.TestCase):
    def test_expires(self):
        with Server() as server, server.world() as world:  # of the wheel for this platform
            world.command("SET", "session", "alice", "EX", 3600)
            world.clock.advance(hours=1)
            self.assertIsNone(world.command("GET", "session"))
