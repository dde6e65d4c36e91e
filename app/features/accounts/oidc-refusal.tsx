import { ButtonLink } from "~/ui/button";
import { AuthFrame } from "./auth-frame";

/** Explains why a sign-in at the provider failed, and links to what to do next. */
export function OidcRefusal({ refusal, connects }: { refusal: string; connects: boolean }) {
  return (
    <AuthFrame
      title={connects ? "The account was not connected" : "You are not signed in"}
      lead={refusal}
    >
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
