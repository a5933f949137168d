// The product's customers and their people, in place of its database: each customer sees the sales of its region.

export const CUSTOMERS: Record<string, { name: string; region: string }> = {
  acme: { name: "Acme", region: "north" },
  borealis: { name: "Borealis", region: "south" },
};

export const PEOPLE: Record<string, { name: string; customer: string }> = {
  ann: { name: "Ann", customer: "acme" },
  ben: { name: "Ben", customer: "acme" },
  cleo: { name: "Cleo", customer: "borealis" },
};

/** The user group id of a customer. */
export const groupOf = (customer: string) => `customer_${customer}`;
