import { version } from "@/lib/config/version";

const SERVICE = "user-group-service";

/** The `application_name` of this service's sessions: it tells other instances that this version runs. */
export function sessionName(): string {
  return `${SERVICE} ${version()}`;
}

/** The version of the service that has sessions of this name; undefined for other programs. */
export function versionIn(name: string): string | undefined {
  // 0.9.0 did not say its version.
  if (name === SERVICE) return "0.9.0";
  return /^user-group-service (\d+\.\d+\.\d+[-+.\w]*)$/.exec(name)?.[1];
}
