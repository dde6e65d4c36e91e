-- Why: an amount in a message has its unit: "12.50 USD", "200000 tokens".
create function private.budget_amount_text(p_amount numeric, p_unit text)
returns text
language plpgsql
immutable
set search_path = ''
as $$
begin
  return case when p_unit = 'tokens' then to_char(p_amount, 'FM999999999999990') || ' tokens'
    else to_char(p_amount, case when abs(p_amount) < 1 and p_amount <> round(p_amount, 2)
      then 'FM999999999990.0000' else 'FM999999999990.00' end) || ' ' || p_unit end;
end;
$$;

comment on function private.budget_amount_text is 'An amount of a budget in words.';
