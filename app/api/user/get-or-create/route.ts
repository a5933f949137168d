import { GET } from "@/app/api/user/route";

export const POST = GET;
