-- Why: the last safeguard for open streams. Every few seconds a process asks once, for all its readers, whose session,
-- token or membership is gone. Normally change events have ended those streams long before. Takes an array of [user,
-- session or null, token or null, product or null]; returns the positions of those without access.
create function operations.find_lost_viewers(p_viewers jsonb)
returns json
language plpgsql
stable
set search_path = ''
as $$
begin
  return (
    select coalesce(json_agg(v.position order by v.position), '[]')
    from (
      select
        e.ordinality - 1 as position,
        (e.value ->> 0)::uuid as user_id,
        (e.value ->> 1)::uuid as session_id,
        (e.value ->> 2)::uuid as token_id,
        (e.value ->> 3)::uuid as product_id
      from jsonb_array_elements(p_viewers) with ordinality as e
    ) as v
    where (
        v.session_id is not null
        and not exists (select 1 from public.user_sessions as s where s.id = v.session_id and s.revoked_at is null)
      )
      or (
        v.token_id is not null
        and not exists (select 1 from public.api_tokens as t where t.id = v.token_id and t.revoked_at is null)
      )
      or (
        v.product_id is not null
        and not exists (
          select 1
          from public.product_members as m
          join public.products as p on p.id = m.product_id
          where m.product_id = v.product_id and m.user_id = v.user_id and p.archived_at is null
        )
      )
  );
end;
$$;

comment on function operations.find_lost_viewers is
  'Which readers of open streams have lost their access (specification: Authentication 4 and 5). Service only.';
grant execute on function operations.find_lost_viewers to service_role;
