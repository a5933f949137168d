import { signIn } from "@/lib/http/sign-in";

export const GET = signIn;

export const POST = signIn;
