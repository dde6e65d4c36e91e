-- Why: every refusal has the same form: SQLSTATE PT<status>, a sentence that says what to do, and optional JSON for
-- programs.
create function private.refuse(p_status integer, p_message text, p_detail jsonb default null)
returns void
language plpgsql
volatile
set search_path = ''
as $$
begin
  if p_detail is null then
    raise exception using errcode = 'PT' || p_status, message = p_message;
  end if;
  raise exception using errcode = 'PT' || p_status, message = p_message, detail = p_detail::text;
end;
$$;

comment on function private.refuse is 'Refuses with an HTTP status and a sentence (specification: Errors).';

grant execute on function private.refuse to authenticated, service_role;
