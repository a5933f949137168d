import { defineConfig } from "prisma/config";

// The CLI looks for an engine binary from a host that many networks cannot reach, and generate, validate
// and format never run it: any executable satisfies the look-up.
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;
// Builds send no telemetry.
process.env.CHECKPOINT_DISABLE ??= "1";

export default defineConfig({ schema: "prisma/schema.prisma", migrations: { path: "prisma/migrations" } });
