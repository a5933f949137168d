import { authenticate, countedAs } from "@/lib/auth/api-token-caller";
import { countedAddress } from "@/lib/auth/client-address";
import { env } from "@/lib/config/env";
import { version } from "@/lib/config/version";
import { usableKeys } from "@/lib/crypto/keyring";
import { spend } from "@/lib/db/limits";
import { isOverprivileged } from "@/lib/db/privileges";
import type { Diagnosis } from "@/lib/doctor/schema";
import type { Call } from "@/lib/endpoint/call";
import { readCredential, refuseCrossSite } from "@/lib/endpoint/credential";
import { handler, within } from "@/lib/endpoint/route";
import { unauthorized } from "@/lib/errors";

/** Tells somebody with an API token, and nobody else, what became of the request on its way: `npm run doctor` asks for it. */
export const diagnose = handler((call) =>
  within(async () => {
    spend("requests", countedAddress(call));
    const credential = readCredential(call);
    if (!("token" in credential)) throw unauthorized();
    const { caller } = await authenticate(credential.token, [], call);
    refuseCrossSite(call);
    spend("requests", countedAs(caller));
    call.environment = caller.environment.slug;
    return { status: 200, headers: {}, body: `${JSON.stringify(await diagnosisOf(call))}\n` };
  }),
);

async function diagnosisOf({ address, headers }: Call): Promise<Diagnosis> {
  return {
    success: 1,
    version: version(),
    time: new Date().toISOString(),
    address: address(),
    forwarded_for: headers["x-forwarded-for"] === undefined ? 0 : String(headers["x-forwarded-for"]).split(",").length,
    trusted_proxies: env().TRUSTED_PROXIES,
    host: headers.host ?? null,
    public_url: env().PUBLIC_URL ?? null,
    is_database_owner: await isOverprivileged(),
    has_previous_key: usableKeys().length > 1,
  };
}
