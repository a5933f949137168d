import { GET } from "@/app/api/user/route";
import { noHead } from "@/lib/endpoint/no-head";

export const POST = GET;

export const HEAD = noHead({ POST });
