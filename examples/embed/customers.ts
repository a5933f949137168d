/** The product's customers, in place of its database: each sees the sales of its region. */
export const CUSTOMERS: Record<string, { name: string; region: string }> = {
  acme: { name: "Acme", region: "north" },
  borealis: { name: "Borealis", region: "south" },
};

/** The user group id of a customer. */
export const groupOf = (customer: string) => `customer_${customer}`;
