"""Tests in the same file, as unittest has them."""
import unittest


def slug(text):
    return "-".join(text.lower().split())


class SlugTest(unittest.TestCase):
    def test_words(self):
        self.assertEqual(slug("Hello  World"), "hello-world")

    def test_empty(self):
        self.assertEqual(slug(""), "")


result = unittest.main(argv=["x"], exit=False, verbosity=0).result
print(result.testsRun, result.wasSuccessful())
