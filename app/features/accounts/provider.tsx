import { ButtonLink } from "~/ui/button";
import { AuthFrame } from "./auth-frame";

const providerNames: Readonly<Record<string, string>> = {
  "accounts.google.com": "Google",
  "login.microsoftonline.com": "Microsoft",
};

/** Returns the provider's well-known name, or its host if we do not know one. */
export function providerName(issuer: string): string {
  const { host } = new URL(issuer);
  return providerNames[host] ?? host;
}

/** Link to the company's identity provider. It reloads the document because the provider is another site. */
export function ProviderLink({ provider, redirectTo }: { provider: string; redirectTo: string }) {
  return (
    <ButtonLink to={`/auth/oidc?redirectTo=${encodeURIComponent(redirectTo)}`} reloadDocument size="lg">
      Continue with {provider}
    </ButtonLink>
  );
}

/** Explains why a sign-in at the provider failed, and links to what to do next. */
export function OidcRefusal({ refusal, connects }: { refusal: string; connects: boolean }) {
  return (
    <AuthFrame title={connects ? "The account was not connected" : "You are not signed in"} lead={refusal}>
      <div className="flex flex-wrap gap-3">
        {connects ? (
          <ButtonLink to="/settings" tone="primary" size="lg">
            Settings
          </ButtonLink>
        ) : (
          <>
            <ButtonLink to="/auth/oidc" reloadDocument tone="primary" size="lg">
              Try again
            </ButtonLink>
            <ButtonLink to="/login" size="lg">
              Sign in with a password
            </ButtonLink>
          </>
        )}
      </div>
    </AuthFrame>
  );
}
