"""python-dotenv, which looks for its file from where the file lies that calls it: a session's program has none."""


def change_main(module):
    real = module.find_dotenv

    def find_dotenv(filename=".env", raise_error_if_not_found=False, usecwd=False):
        try:
            return real(filename, raise_error_if_not_found, usecwd)
        except AssertionError:
            return real(filename, raise_error_if_not_found, True)

    module.find_dotenv = find_dotenv
