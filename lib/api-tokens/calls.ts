import { listApiTokens } from "@/lib/api-tokens/service";
import { databaseNow } from "@/lib/db/clock";
import { read, statement } from "@/lib/db/pool";
import { countsOf, dayOf, daysUpTo, type MonthOfDays, monthsOf } from "@/lib/limits/days";

const SHOWN_DAYS = 30;

const CALLS = statement("calls_of_api_tokens")`SELECT api_token_id, month::text, days FROM api_token_use_month
  WHERE month BETWEEN $1::date AND $2::date AND api_token_id = ANY ($3::int[])`;

/** The API tokens of an environment, newest first, each with its calls on the last 30 UTC days, today's last. */
export async function listUsedApiTokens(environment: { id: number }) {
  const tokens = await listApiTokens(environment);
  const days = daysUpTo(dayOf(await databaseNow()), SHOWN_DAYS);
  const ids = tokens.map(({ id }) => id);
  const months = await read<MonthOfDays & { api_token_id: number }>(CALLS, [...monthsOf(days), ids]);
  return tokens.map((token) => {
    const own = months.filter(({ api_token_id }) => api_token_id === token.id);
    return { ...token, calls: { from: days.from, days: countsOf(own, days) } };
  });
}
