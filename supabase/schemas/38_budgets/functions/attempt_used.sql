-- Why: one attempt's usage so far, in the unit of a budget.
create function private.attempt_used(p_job_id uuid, p_attempt integer, p_unit text)
returns numeric
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(sum(case when p_unit = 'tokens' then u.tokens when u.currency = p_unit then u.cost end), 0)
    from private.known_usage u where u.job_id = p_job_id and u.attempt = p_attempt
  );
end;
$$;

comment on function private.attempt_used is 'What an attempt has used so far, in tokens or in one currency.';
