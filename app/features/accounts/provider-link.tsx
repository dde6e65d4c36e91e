import { ButtonLink } from "~/ui/button";

/** To the provider where the company's accounts are: a whole new page, since it is another site. */
export function ProviderLink({ provider, redirectTo }: { provider: string; redirectTo: string }) {
  return (
    <ButtonLink
      to={`/auth/oidc?redirectTo=${encodeURIComponent(redirectTo)}`}
      reloadDocument
      size="lg"
    >
      Continue with {provider}
    </ButtonLink>
  );
}
