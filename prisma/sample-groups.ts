/** A sample user group for trials and measurements; mapping and properties are JSON text. */
export interface SampleGroup {
  providedId: string;
  name: string;
  mapping: string;
  properties: string | null;
}

const namesIn = (text: string) => text.trim().split(/,\s+/);

const FIRST = namesIn(`
  Acme, Alpine, Amber, Apex, Aurora, Baltic, Beacon, Birch, Blue Harbor, Bright, Cedar, Cobalt, Copper,
  Crescent, Delta, Dune, Ember, Évolution, Falcon, Fjord, Forge, Frankfurt, Glacier, Granite, Green Valley,
  Harvest, Helix, Horizon, Indigo, Ivory, Jade, Juniper, Kestrel, Köln, Lakeside, Lumen, Łódź, Maple, Meridian,
  Métro, Mosaic, Nimbus, Nordic, North Star, Ocean, Olive, Onyx, Orchid, Pacific, Pioneer, Polar, Quartz,
  Quill, Raven, Redwood, River, Sable, São Paulo, Sierra, Silver, Solstice, Summit, Tokyo, Terra, Umbra,
  Vertex, Vienna, Willow, Zenith, Zürich, Ödland, 東京, 深圳, Београд, Αθήνα
`);
const TRADE = namesIn(`
  Analytics, Appliances, Architects, Bakery, Bank, Biotech, Breweries, Chemicals, Clinics, Clothing,
  Consulting, Dental, Design, Electronics, Energy, Farms, Finance, Fitness, Foods, Freight, Furniture, Gaming,
  Hotels, Insurance, Instruments, Labs, Legal, Logistics, Markets, Media, Mobility, Motors, Optics, Pharma,
  Press, Properties, Retail, Robotics, Schools, Security, Shipping, Software, Solar, Sports, Studios, Systems,
  Telecom, Textiles, Travel, Ventures, Water, Wines, Wireless, Works
`);
const FORM = ["", "", "Inc.", "GmbH", "Ltd", "S.A.", "& Sons", "Group", "Co.", "株式会社"];
const REGION = ["eu-west", "eu-central", "us-east", "us-west", "ap-south", "ap-northeast", "sa-east"];
const INDUSTRY = ["commerce", "finance", "health", "industry", "media", "public", "travel"];
const FLAG = ["beta", "sso", "exports", "white_label", "audit", "alerts"];

/** The group with this number: always the same for the same seed. */
export function sampleGroup(number: number, seed: number): SampleGroup {
  const random = randomNumbers(seed, number);
  const below = (limit: number) => Math.floor(random() * limit);
  const pick = <T>(choices: readonly [T, ...T[]] | readonly T[]) => choices[below(choices.length)] as T;
  const name = [pick(FIRST), pick(TRADE), pick(FORM)].filter(Boolean).join(" ");
  return {
    providedId: idOf(number, name, below),
    name,
    mapping: mappingOf(below),
    properties: random() < 0.05 ? null : JSON.stringify(propertiesOf(number, below, pick)),
  };
}

const DAY_MS = 86_400_000;
const GROWTH_DAYS = 60;
/** Use per weekday, from Sunday on, relative to an ordinary working day. */
const WEEK = [0.12, 0.9, 1.05, 1.1, 1, 0.8, 0.2];

/**
 * When the group with this number was changed and used, in milliseconds since 1970, and its checks on each day of this
 * month and the previous one: always the same for the same seed and times.
 */
export function sampleLife(number: number, seed: number, { created, now }: { created: number; now: number }) {
  const random = randomNumbers(seed + 1, number);
  const after = (share: number) => created + (now - created) * share;
  const updated = after(random() < 0.4 ? 0 : random());
  const lastUsed = 1 - random() ** 20;
  const used = random() < 0.1 ? null : { first: after(lastUsed * 0.1 * random() ** 4), last: after(lastUsed) };
  // A few customers account for most of the use.
  const daily = Math.ceil(2 * Math.exp(6 * random() ** 3));
  const growth = random() * 1.6 - 0.2;
  const checksOn = (day: number) => {
    const noise = 0.7 + 0.6 * random();
    if (!used || day + DAY_MS <= used.first || day > used.last) return 0;
    const trend = 1 - (growth * (now - day)) / (GROWTH_DAYS * DAY_MS) / (1 + growth);
    return Math.max(1, Math.round(daily * (WEEK[new Date(day).getUTCDay()] ?? 1) * trend * noise));
  };
  const today = new Date(now);
  const months = [-1, 0].map((ago) => {
    const start = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ago);
    const end = Math.min(now, Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + ago + 1) - 1);
    const days = Array.from({ length: Math.floor((end - start) / DAY_MS) + 1 }, (_, n) => checksOn(start + n * DAY_MS));
    return { month: new Date(start).toISOString().slice(0, 10), days };
  });
  return { updated, used, months: months.filter(({ days }) => days.some((count) => count > 0)) };
}

/** Ids such as callers have: slugs, numbers, customer keys; each contains the number, which makes it unique. */
function idOf(number: number, name: string, below: (limit: number) => number): string {
  const slug = name
    .normalize("NFD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
  const kind = below(10);
  if (kind < 5) return `${slug || "group"}-${number}`;
  if (kind < 7) return `cus_${(number * 2_654_435_761).toString(36)}`;
  if (kind < 9) return String(100_000_000 + number);
  return `tenant:${REGION[below(REGION.length)]}:${number}`;
}

function mappingOf(below: (limit: number) => number): string {
  const sources = Array.from({ length: 1 + below(3) }, (_, place) => [
    String(40 + place * 94 + below(9)),
    String(100 + below(900)),
  ]);
  return JSON.stringify(Object.fromEntries(sources));
}

function propertiesOf(
  number: number,
  below: (limit: number) => number,
  pick: <T>(choices: readonly T[]) => T,
): Record<string, unknown> {
  const plan = pick(["free", "free", "free", "free", "free", "free", "pro", "pro", "pro", "enterprise"]);
  return {
    plan,
    seats: plan === "free" ? 1 + below(5) : 5 + below(500),
    region: pick(REGION),
    ...(below(2) === 0 && { industry: pick(INDUSTRY) }),
    ...(below(3) === 0 && { trial: below(2) === 0 }),
    ...(below(4) === 0 && { flags: FLAG.filter(() => below(3) === 0) }),
    ...(below(5) === 0 && { manager: `manager-${below(200)}@example.com` }),
    // Rare, so that a filter for it must find a handful among all groups.
    ...(number % 9_973 === 17 && { contract: `frame-${number}` }),
  };
}

/** Random numbers from 0 to 1 (mulberry32, T. Ettinger), seeded with two whole numbers. */
function randomNumbers(seed: number, number: number): () => number {
  let state = Math.imul(seed, 0x9e3779b1) ^ Math.imul(number, 0x85ebca6b);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
