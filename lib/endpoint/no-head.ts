import { anyone } from "@/lib/endpoint/access";
import { type Endpoint, endpoint } from "@/lib/endpoint/endpoint";
import { allowedMethods, methodNotAllowed, type RouteModule } from "@/lib/endpoint/methods";

/** What a route file exports as HEAD: a refusal, as Next would run GET, which may create a group and counts as a use. */
export function noHead(methods: RouteModule): Endpoint {
  return endpoint({
    access: anyone,
    handle() {
      throw methodNotAllowed(allowedMethods(methods));
    },
  });
}
