import { noHead } from "@/lib/endpoint/no-head";
import { signIn } from "@/lib/endpoint/sign-in";

export const GET = signIn;

export const POST = signIn;

export const HEAD = noHead({ GET, POST });
