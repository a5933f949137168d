import { GET as getOrCreate } from "@/app/api/user/route";

export const POST = getOrCreate;
