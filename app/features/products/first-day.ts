export const hasOnlySample = (products: readonly { code: string }[]): boolean =>
  products.every(({ code }) => code === "SAMPLE");
