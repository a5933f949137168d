from django.urls import path

import views

urlpatterns = [
    path("sign-up", views.sign_up),
    path("dashboard", views.dashboard),
    path("webhooks/user-groups", views.webhook),
]
