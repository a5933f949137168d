import { anyone } from "@/lib/endpoint/access";
import { type Endpoint, endpoint } from "@/lib/endpoint/endpoint";
import { allowedMethods, methodNotAllowed, type RouteModule } from "@/lib/endpoint/methods";

/** A route file's HEAD: always refused, because Next would run GET, which may create a group and counts as a use. */
export function noHead(methods: RouteModule): Endpoint {
  return endpoint({
    access: anyone,
    handle() {
      throw methodNotAllowed(allowedMethods(methods));
    },
  });
}
