import { signIn } from "@/lib/endpoint/sign-in";

export const GET = signIn;

export const POST = signIn;
