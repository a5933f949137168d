import os
import secrets
from pathlib import Path

USER_GROUPS_URL = os.environ["USER_GROUPS_URL"]
USER_GROUPS_API_TOKEN = os.environ["USER_GROUPS_API_TOKEN"]
WEBHOOK_SECRET = os.environ["WEBHOOK_SECRET"]
RENDERER_URL = os.environ["RENDERER_URL"]

SECRET_KEY = os.environ.get("DJANGO_SECRET_KEY") or secrets.token_hex(32)
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
ROOT_URLCONF = "urls"
SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "templates"],
    }
]
