import { listApiTokens } from "@/lib/api-tokens/service";
import type { ApiTokenSummary } from "@/lib/api-tokens/summary";
import { databaseNow } from "@/lib/db/clock";
import { read } from "@/lib/db/pool";
import { statement } from "@/lib/db/statement";
import { countsOf, dayOf, daysUpTo, type MonthOfDays, monthsOf } from "@/lib/limits/days";

const SHOWN_DAYS = 30;

const CALLS = statement("calls_of_api_tokens")`SELECT api_token_id, month::text, days FROM api_token_use_month
  WHERE month BETWEEN $1::date AND $2::date AND api_token_id = ANY ($3::int[])`;

export interface UsedApiTokens {
  tokens: ApiTokenSummary[];
  /** the first of the last 30 UTC days */
  from: string;
  /** the calls of a token on each of the last 30 days, today's last */
  callsOf(id: number): number[];
}

/** The API tokens of an environment, newest first, with their calls. */
export async function listUsedApiTokens(environment: { id: number }): Promise<UsedApiTokens> {
  const tokens = await listApiTokens(environment);
  const days = daysUpTo(dayOf(await databaseNow()), SHOWN_DAYS);
  const ids = tokens.map(({ id }) => id);
  const months = await read<MonthOfDays & { api_token_id: number }>(CALLS, [...monthsOf(days), ids]);
  const monthsOfToken = (id: number) => months.filter(({ api_token_id }) => api_token_id === id);
  return { tokens, from: days.from, callsOf: (id) => countsOf(monthsOfToken(id), days) };
}
