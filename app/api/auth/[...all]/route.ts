import { betterAuthEndpoint } from "@/lib/endpoint/sign-in";

export const GET = betterAuthEndpoint;

export const POST = betterAuthEndpoint;
