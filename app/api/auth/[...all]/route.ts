import { noHead } from "@/lib/endpoint/no-head";
import { betterAuthEndpoint } from "@/lib/endpoint/sign-in";

export const GET = betterAuthEndpoint;

export const POST = betterAuthEndpoint;

export const HEAD = noHead({ GET, POST });
