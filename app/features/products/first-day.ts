/** Whether the sample is the only product: the first steps are open. */
export const hasOnlySample = (products: readonly { code: string }[]): boolean =>
  products.every(({ code }) => code === "SAMPLE");
