import { z } from "zod";

/** What the service sees of a request once proxies have had it, and of itself what matters for them. */
export const diagnosisAnswer = z.object({
  success: z.literal(1),
  version: z.string(),
  time: z.iso.datetime().meta({ description: "The service's clock." }),
  address: z.string().meta({ description: "Where it takes the request to come from." }),
  forwarded_for: z.int().meta({ description: "How many entries `X-Forwarded-For` had." }),
  trusted_proxies: z.int(),
  host: z.string().nullable(),
  public_url: z.string().nullable(),
  is_database_owner: z.boolean().meta({
    description: "Whether the service's database role could change the history: it owns the tables, or is a superuser.",
  }),
  has_previous_key: z.boolean().meta({ description: "Whether `PREVIOUS_SECRET_KEY` is still set." }),
});

export type Diagnosis = z.infer<typeof diagnosisAnswer>;
