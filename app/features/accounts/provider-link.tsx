import { ButtonLink } from "~/ui/button";

/** Link to the company's identity provider. It reloads the document because the provider is another site. */
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
