-- Revoking a token ends the open streams that use it at once (specification: Authentication 1).
create trigger _900_emit after delete on public.api_tokens for each row
  execute function private.tg_any__emit_credential('api_token');
create trigger _901_emit after update on public.api_tokens for each row
  when ((new.revoked_at is not null and old.revoked_at is null) or new.expires_at is distinct from old.expires_at)
  execute function private.tg_any__emit_credential('api_token');
