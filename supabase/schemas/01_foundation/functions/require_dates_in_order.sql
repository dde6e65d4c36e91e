-- Why: a sprint cannot end before it starts. The table's constraint is the second check.
create function private.require_dates_in_order(p_start_date date, p_end_date date)
returns void
language plpgsql
immutable
set search_path = ''
as $$
begin
  if p_end_date < p_start_date then
    raise exception using errcode = 'PT422', message = 'The end date is before the start date.',
      detail = '{"issues":[{"path":"end_date","message":"Must be on or after the start date."}]}';
  end if;
end;
$$;

comment on function private.require_dates_in_order is
  'PT422 when a sprint would end before it starts (specification: Sprint).';

grant execute on function private.require_dates_in_order to authenticated;
