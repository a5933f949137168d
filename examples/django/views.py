import uuid

from django.conf import settings
from django.core.cache import cache
from django.http import HttpResponse, JsonResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from user_groups import UserGroupsClient, WebhookSignatureError, verify_webhook

user_groups = UserGroupsClient(
    settings.USER_GROUPS_URL, settings.USER_GROUPS_API_TOKEN
)


def sign_up(request):
    if request.method != "POST":
        return render(request, "sign_up.html")
    customer = str(uuid.uuid4())
    name, plan = request.POST["name"], request.POST["plan"]
    user_groups.upsert(customer, name=name, properties={"plan": plan})
    request.session["customer"] = customer
    return JsonResponse({"customer": customer}, status=201)


@never_cache
def dashboard(request):
    customer = request.session.get("customer")
    if customer is None:
        return HttpResponse("Sign in.", status=401)
    # In place of a column of your customers.
    if cache.get(f"suspended:{customer}"):
        return HttpResponse("Your access is suspended.", status=403)
    minted = user_groups.mint_viewer_token(customer, viewer=customer)
    context = {
        "renderer_url": settings.RENDERER_URL,
        "viewer_token": minted["viewer_token"],
    }
    return render(request, "dashboard.html", context)


# The signature takes the place of Django's CSRF token.
@csrf_exempt
@require_POST
def webhook(request):
    try:
        event = verify_webhook(
            settings.WEBHOOK_SECRET, request.body, request.headers
        )
    except WebhookSignatureError:
        return HttpResponse(status=400)
    customer = event["data"]["provided_id"]
    if event["type"] in ("user_group.suspended", "user_group.resumed"):
        # Events can arrive out of order: ask for the current state.
        groups = user_groups.list(user_group_id=[customer])["user_groups"]
        suspended = any(group["state"] == "suspended" for group in groups)
        cache.set(f"suspended:{customer}", suspended, timeout=None)
    return HttpResponse(status=204)
