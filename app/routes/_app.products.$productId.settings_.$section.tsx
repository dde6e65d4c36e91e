/** A section other than the first, which has the address of the settings themselves. */
export { action, default, loader, meta } from "./_app.products.$productId.settings/route";
