import { ButtonLink } from "~/ui/button";
import { AuthFrame } from "./auth-frame";

/** Why a sign-in at the provider led nowhere, and the ways on. */
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
